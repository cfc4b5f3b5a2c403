# SPDX-License-Identifier: Apache-2.0
"""A Java heap: the compiler's own, then an inverted index over source texts and its persons' records."""
import subprocess

from ..workplace import installed, texts

TITLE = "Java indexing source texts"
SOURCE = """
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

public class Index {
  record Place(int line, int column, String path) {}
  static final class Entry { long count; final List<Place> places = new ArrayList<>(); double weight; }
  static Map<String, Entry> index = new HashMap<>();
  static List<Map<String, Object>> summaries = new ArrayList<>();
  static TreeMap<Long, String> ranking = new TreeMap<>();

  public static void main(String[] paths) throws Exception {
    for (String path : Files.readAllLines(Path.of(paths[0]))) {
      List<String> lines = Files.readAllLines(Path.of(path), java.nio.charset.StandardCharsets.ISO_8859_1);
      int number = 0;
      for (String line : lines) {
        number++;
        int column = 0;
        for (String token : line.split("\\\\W+")) {
          column += token.length() + 1;
          if (token.length() < 3) continue;
          Entry entry = index.computeIfAbsent(token, key -> new Entry());
          entry.count++;
          entry.weight += 1.0 / number;
          if (entry.places.size() < 40) entry.places.add(new Place(number, column, path));
        }
      }
      summaries.add(new LinkedHashMap<>(Map.of("path", path, "lines", lines.size(), "text", String.join("\\n", lines))));
    }
    index.forEach((word, entry) -> ranking.put(entry.count << 32 | word.hashCode() & 0xffffffffL, word));
    System.out.println("ready");
    System.out.flush();
    System.in.read();
  }
}
"""


def at_work(place):
    source = place.write("Index.java", SOURCE)
    listing = place.write("paths", "\n".join(path for path, _ in texts(8_000_000)))
    process = place.start(installed("java"), "-Xmx512m", "-XX:+UseG1GC", source, listing,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    place.wait_for_line(process, "ready")
    return [process.pid]
