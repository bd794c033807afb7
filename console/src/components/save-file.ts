/** Saves a file that was put together in the browser. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), RELEASE_AFTER_MS)
}

/** By then the browser has started to read the file. */
const RELEASE_AFTER_MS = 10_000
