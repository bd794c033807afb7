/** The data that the SDK stores in the browser between pages. Storage can be full, blocked or absent. */

export type Store = {
  read: <T>(name: string) => T | undefined
  /** Returns false when the value could not be stored. */
  write: (name: string, value: unknown) => boolean
  remove: (name: string) => void
}

/** `area` is a function, because access to `localStorage` throws when storage is blocked. */
export const createStore = (prefix: string, area: () => Storage): Store => ({
  read: <T>(name: string) => {
    try {
      return (JSON.parse(area().getItem(prefix + name) ?? 'null') ?? undefined) as T | undefined
    } catch {
      return undefined
    }
  },
  write: (name, value) => {
    try {
      area().setItem(prefix + name, JSON.stringify(value))
      return true
    } catch {
      return false
    }
  },
  remove: (name) => {
    try {
      area().removeItem(prefix + name)
    } catch {
      // A storage that is not accessible holds nothing to remove.
    }
  },
})
