/** A random id in the storage of the browser, for browsers that cannot be recognized otherwise. */
const NAME = 'vigil:device'

/** @returns undefined where storage is blocked, because an id for one page identifies nothing */
export function storedId(): string | undefined {
  try {
    const id = localStorage.getItem(NAME) ?? crypto.randomUUID()
    localStorage.setItem(NAME, id)
    return id
  } catch {
    return undefined
  }
}

export function forgetId(): void {
  try {
    localStorage.removeItem(NAME)
  } catch {
    // A storage that is not accessible holds nothing to remove.
  }
}
