/** A file of the service, read with the access token and saved by the browser. */

/**
 * @param onProgress bytes so far
 * @returns bytes of the whole file
 * @throws what the body throws when it is cut off: half a file is not saved
 */
export async function saveAs(
  response: Response,
  name: string,
  onProgress: (bytes: number) => void,
): Promise<number> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = response.body?.getReader()
  for (;;) {
    const { done = true, value } = (await reader?.read()) ?? {}
    if (done || !value) break
    parts.push(value)
    bytes += value.byteLength
    onProgress(bytes)
  }
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser takes the file over after this turn.
  setTimeout(() => URL.revokeObjectURL(address), RELEASED_AFTER_MS)
  return bytes
}

const RELEASED_AFTER_MS = 10_000

/** As the service names it, else as given. */
export function nameOf(response: Response, fallback: string): string {
  const given = response.headers.get('content-disposition') ?? ''
  const name = /filename="([\w.-]+)"/.exec(given)?.[1]
  return name ?? fallback
}
