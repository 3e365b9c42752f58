/// A code in letters that are read from across the desk.
enum LargeText {
  /// Columns of a letter with the gap behind it.
  private static let pitch = 6

  /// - Returns: five lines; `nil` where the text has signs that are not drawn here (all are ASCII
  ///   capitals, digits, dashes and spaces), or is wider than `columns`.
  static func lines(_ text: String, columns: Int) -> [String]? {
    let letters = text.map { glyphs[$0] }
    guard letters.count * pitch <= columns, letters.allSatisfy({ $0 != nil }) else { return nil }
    return (0..<5).map { row in
      letters.compactMap(\.self).map { bits(of: $0[row]) }.joined(separator: " ")
    }
  }

  private static func bits(of row: UInt8) -> String {
    String((0..<5).map { row & (16 >> $0) == 0 ? " " : "█" })
  }

  /// Five rows of five columns, the left one in the highest bit.
  private static let glyphs: [Character: [UInt8]] = [
    "A": [14, 17, 31, 17, 17],
    "B": [30, 17, 30, 17, 30],
    "C": [15, 16, 16, 16, 15],
    "D": [30, 17, 17, 17, 30],
    "E": [31, 16, 30, 16, 31],
    "F": [31, 16, 30, 16, 16],
    "G": [15, 16, 19, 17, 15],
    "H": [17, 17, 31, 17, 17],
    "I": [31, 4, 4, 4, 31],
    "J": [7, 1, 1, 17, 14],
    "K": [17, 18, 28, 18, 17],
    "L": [16, 16, 16, 16, 31],
    "M": [17, 27, 21, 17, 17],
    "N": [17, 25, 21, 19, 17],
    "O": [14, 17, 17, 17, 14],
    "P": [30, 17, 30, 16, 16],
    "Q": [14, 17, 21, 18, 13],
    "R": [30, 17, 30, 18, 17],
    "S": [15, 16, 14, 1, 30],
    "T": [31, 4, 4, 4, 4],
    "U": [17, 17, 17, 17, 14],
    "V": [17, 17, 17, 10, 4],
    "W": [17, 17, 21, 27, 17],
    "X": [17, 10, 4, 10, 17],
    "Y": [17, 10, 4, 4, 4],
    "Z": [31, 2, 4, 8, 31],
    "0": [14, 19, 21, 25, 14],
    "1": [4, 12, 4, 4, 14],
    "2": [30, 1, 14, 16, 31],
    "3": [30, 1, 14, 1, 30],
    "4": [18, 18, 31, 2, 2],
    "5": [31, 16, 30, 1, 30],
    "6": [14, 16, 30, 17, 14],
    "7": [31, 1, 2, 4, 4],
    "8": [14, 17, 14, 17, 14],
    "9": [14, 17, 15, 1, 14],
    "-": [0, 0, 14, 0, 0],
    " ": [0, 0, 0, 0, 0],
  ]
}
