/// Finds the word that somebody meant.
enum Nearest {
  /// - Returns: the nearest of `words`, the first of equals; `nil` where none is near.
  static func word(to text: String, of words: [String]) -> String? {
    let text = folded(text)
    guard !text.isEmpty, text.utf8.count <= longest else { return nil }
    let limit = max(1, text.utf8.count / 3)
    var best: (word: String, distance: Int)?
    for word in words {
      let known = folded(word)
      // The beginning of a word is a good sign of it, however much is missing.
      let isBeginning = text.utf8.count >= 3 && known.starts(with: text)
      let distance = isBeginning ? 1 : Self.distance(Array(text.utf8), Array(known.utf8))
      if distance <= limit, distance < best?.distance ?? .max { best = (word, distance) }
    }
    return best?.word
  }

  /// Bytes of a word that is worth looking for.
  private static let longest = 64

  /// Case, dashes and underscores are no difference.
  private static func folded(_ text: String) -> String {
    String(text.lowercased().filter { $0 != "-" && $0 != "_" })
  }

  /// How many letters have to be put in, taken out, changed or swapped with their neighbour.
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var before: [Int] = []
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          cost = min(cost, before[column - 1] + 1)
        }
        current.append(cost)
      }
      (before, last) = (last, current)
    }
    return last[right.count]
  }
}
