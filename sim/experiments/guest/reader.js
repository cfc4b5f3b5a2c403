// SPDX-License-Identifier: Apache-2.0
// mutool run reader.js FILE DOTS ANSWERS: a document in a viewer. Answers lie in a file, a line each, written anew with every answer: what is printed
// would wait in a buffer. Lines on standard input:
//   load N   render the next N pages, at DOTS dots an inch, and keep their pictures, as a viewer does; answers "loaded PAGES"
//   read N   go through the first N pages, rendering each anew; answers "page NUMBER" after each and "read N"
//   browse   go through all that is kept, forth and back, every row of every picture; answers "browsed PAGES"
//   close    end, without an answer
// Each answer ends with how many pictures so far, looked at again, were not as at first: by one colour of one pixel of each row.
var file = scriptArgs[0], scale = scriptArgs[1] / 72
var document = Document.openDocument ? Document.openDocument(file) : new Document(file)
var pages = document.countPages(), kept = [], sums = [], wrong = 0, answers = new Buffer(), line

function answer(words) {
	answers.writeLine(words + " " + wrong)
	answers.save(scriptArgs[2])
}

function render(page) {
	return document.loadPage(page).toPixmap([scale, 0, 0, scale, 0, 0], DeviceRGB, false)
}

function load(count) {
	for (; count > 0 && kept.length < pages; count--) {
		kept.push(render(kept.length))
		sums.push(look(kept[kept.length - 1]))
	}
	gc()
	answer("loaded " + kept.length)
}

function look(picture) {
	var sum = 0
	for (var row = 0, rows = picture.getHeight(), columns = picture.getWidth(); row < rows; row++)
		sum = (sum * 31 + picture.getSample((row * 131) % columns, row, row % 3)) % 1000003
	return sum
}

function compare(picture, page) {
	var sum = look(picture)
	if (page < sums.length && sum !== sums[page])
		wrong++
}

function read(count) {
	for (var page = 0; page < count && page < pages; page++) {
		compare(render(page), page)
		gc()
		answer("page " + page)
	}
	answer("read " + count)
}

function browse() {
	for (var forth = 0; forth < kept.length; forth++)
		compare(kept[forth], forth)
	for (var back = kept.length - 1; back >= 0; back--)
		compare(kept[back], back)
	answer("browsed " + kept.length)
}

while ((line = readline()) !== null) {
	var words = line.split(" ")
	if (words[0] === "load")
		load(+words[1])
	else if (words[0] === "read")
		read(+words[1])
	else if (words[0] === "browse")
		browse()
	else if (words[0] === "close")
		break
}
