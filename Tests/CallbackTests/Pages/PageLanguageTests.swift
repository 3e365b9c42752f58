import Testing

@testable import Callback

@Suite struct PageLanguageTests {
  @Test(arguments: [
    ([], PageLanguage.english),
    ([""], .english),
    (["de"], .german),
    (["DE"], .german),
    (["de-CH"], .german),
    (["es-419,es;q=0.9"], .spanish),
    (["fr-CA, en;q=0.3"], .french),
    (["ja"], .japanese),
    // Chinese by its script, or else by its region; what names neither is simplified.
    (["zh"], .simplifiedChinese),
    (["zh-CN"], .simplifiedChinese),
    (["zh-SG, zh;q=0.9"], .simplifiedChinese),
    (["zh-Hans-HK"], .simplifiedChinese),
    (["zh-TW"], .traditionalChinese),
    (["zh-TW, zh;q=0.9, en-US;q=0.8"], .traditionalChinese),
    (["ZH-hk"], .traditionalChinese),
    (["zh-MO"], .traditionalChinese),
    (["zh-Hant-HK;q=0.8, en;q=0.5"], .traditionalChinese),
    (["zh-Hant;q=0.5, zh-Hans;q=0.6"], .simplifiedChinese),
    (["zhx-TW"], .english),
    (["-zh"], .english),
    (["pt, it"], .english),
    (["pt, it, fr;q=0.1"], .french),
    // Weights decide, not places; among equals the earlier one.
    (["en;q=0.5, de;q=0.9"], .german),
    (["fr;q=0.7, de;q=0.7"], .french),
    (["de;q=0.001, en;q=0"], .german),
    (["de;q=1.000, fr;q=0.999"], .german),
    // Several lines are one list.
    (["fr;q=0.2", "de;q=0.3"], .german),
    // `*` is English, unless English was named itself.
    (["*"], .english),
    (["de;q=0.5, *;q=0.8"], .english),
    (["de;q=0.8, *;q=0.5"], .german),
    (["de;q=0.5, en;q=0.1, *;q=0.8"], .german),
    // Refused, or malformed: passed over.
    (["de;q=0"], .english),
    (["de;q=0, fr;q=0.1"], .french),
    (["de;q=2, fr"], .french),
    (["de;q=1.001, fr"], .french),
    (["de;q=0.1234, fr;q=0.1"], .french),
    (["de;q=, fr;q=0.1"], .french),
    (["de;q=-1, fr;q=0.1"], .french),
    (["de;q=.9, fr;q=0.1"], .french),
    (["de;q=٠.٩, fr;q=0.1"], .french),
    ([",, ,;;q=1, de ;\tq=0.4 ,"], .german),
    (["deu"], .english),
    (["<script>"], .english),
  ]) func picksWhatTheReaderLikesBest(_ values: [String], _ language: PageLanguage) {
    #expect(PageLanguage.preferred(in: values) == language)
  }

  @Test func readsOnlySoManyRanges() {
    let others = Array(repeating: "pt", count: PageLanguage.maximumRanges - 1)
    #expect(PageLanguage.preferred(in: [(others + ["de"]).joined(separator: ",")]) == .german)
    #expect(
      PageLanguage.preferred(in: [(others + ["it", "de"]).joined(separator: ",")]) == .english)
  }
}
