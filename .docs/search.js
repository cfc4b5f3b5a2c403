// SPDX-License-Identifier: Apache-2.0
// Searches the site where it is read from disk, where browsers let no page fetch a file: MkDocs' index comes as a script (.docs/site makes it).
const list = document.getElementById("mkdocs-search-results");
const shown = 300; // characters of a section, around the first word that was found

function script(name) {
  return new Promise((loaded, failed) => {
    const element = document.createElement("script");
    Object.assign(element, { src: `${base_url}/search/${name}`, onload: loaded, onerror: failed });
    document.head.append(element);
  });
}

function result(section, words) {
  const text = section.text.replace(/\s+/g, " ");
  const first = Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0));
  const at = first > shown / 3 && first < Infinity ? text.indexOf(" ", first - shown / 3) + 1 : 0;
  const article = document.createElement("article"), heading = document.createElement("h3"), link = document.createElement("a"), part = document.createElement("p");
  link.href = `${base_url}/${section.location}`;
  link.textContent = section.title;
  part.textContent = (at ? "… " : "") + text.slice(at, at + shown) + (at + shown < text.length ? " …" : "");
  heading.append(link);
  article.append(heading, part);
  return article;
}

async function begin() {
  await script("lunr.js");
  await script("index.js");
  const sections = new Map(searched.docs.map((section) => [section.location, section]));
  // A page has an entry, with the text of all its sections, and its first section has one: the better of the two is enough.
  const twins = new Map();
  for (const location of sections.keys()) {
    const page = location.split("#")[0];
    if (page !== location && !twins.has(page)) twins.set(page, location).set(location, page);
  }
  const once = (found) => found.filter(({ ref }, place) => !found.slice(0, place).some((better) => better.ref === twins.get(ref)));
  const index = lunr(function () {
    this.ref("location");
    this.field("title", { boost: 5 });
    this.field("text");
    searched.docs.forEach((section) => this.add(section));
  });
  const field = document.getElementById("mkdocs-search-query");
  const show = () => {
    // Each word must be there, by the beginning that its forms share.
    const words = (field.value.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || []).filter((word) => lunr.stopWordFilter(word))
      .map((word) => lunr.stemmer(new lunr.Token(word)).toString());
    const found = words.length ? index.query((query) => words.forEach((word) => query.term(word,
      { presence: lunr.Query.presence.REQUIRED, wildcard: lunr.Query.wildcard.TRAILING, usePipeline: false }))) : [];
    list.replaceChildren(...once(found).map(({ ref }) => result(sections.get(ref), words)));
    if (words.length && !found.length) list.textContent = list.dataset.noResultsText;
  };
  field.value = new URLSearchParams(location.search).get("q") || "";
  field.addEventListener("input", show);
  show();
}

if (list) begin();
