/** Reads a stream to its end. @returns undefined when it exceeds the limit; the rest is not read */
export async function readUpTo(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  const [only] = chunks
  return chunks.length === 1 && only ? only : Buffer.concat(chunks)
}
