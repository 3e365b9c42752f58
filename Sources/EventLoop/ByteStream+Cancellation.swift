extension ByteStream {
  /// Runs `body` and closes this stream when the task is cancelled meanwhile: cancelling alone
  /// ends no read and no write.
  package func closingOnCancel<R, E: Error>(
    _ body: @LoopActor () async throws(E) -> R
  ) async throws(E) -> R {
    let result: Result<R, E> = await withTaskCancellationHandler {
      do throws(E) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    } onCancel: {
      Task { @LoopActor in close() }
    }
    return try result.get()
  }
}
