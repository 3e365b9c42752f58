import Testing

@testable import ConsentBroker

@Suite struct EntityTagTests {
  @Test(arguments: [
    (["\"r1\""], "\"r1\""),
    (["W/\"r1\""], "\"r1\""),
    (["\"r0\", \"r1\""], "\"r1\""),
    (["\"r0\",\"r1\"\t,"], "\"r1\""),
    (["\"r0\"", "\"r1\""], "\"r1\""),
    (["*"], "\"r1\""),
    (["\"a,b\""], "\"a,b\""),
    (["\"\""], "\"\""),
  ]) func matchesATagThatTheClientHas(_ values: [String], _ etag: String) {
    #expect(EntityTagCondition(values)?.matches(etag) == true)
  }

  @Test(arguments: [
    (["\"r2\""], "\"r1\""),
    (["\"R1\""], "\"r1\""),
    (["\"r1\u{301}\""], "\"r1\""),
    (["\"caf\u{e9}\""], "\"cafe\u{301}\""),
  ]) func comparesTagsByteForByte(_ values: [String], _ etag: String) {
    #expect(EntityTagCondition(values)?.matches(etag) == false)
  }

  @Test(arguments: [
    [], [""], ["r1"], ["\"r1"], ["\"r1\" \"r2\""], ["w/\"r1\""], ["W/r1"], ["*", "*"],
    ["*, \"r1\""],
    ["\"r1\", nonsense"], [","],
  ]) func takesWhatIsMalformedForNoCondition(_ values: [String]) {
    #expect(EntityTagCondition(values) == nil)
  }

  @Test func readsOnlySoManyTags() {
    let tags = (1...EntityTagCondition.maximumTags).map { "\"\($0)\"" }
    #expect(EntityTagCondition([tags.joined(separator: ",")]) != nil)
    #expect(EntityTagCondition([tags.joined(separator: ","), "\"x\""]) == nil)
  }
}
