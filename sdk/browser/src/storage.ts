/** The little that is kept in the browser between pages. Storage may be full, blocked or absent. */

export type Store = {
  read: <T>(name: string) => T | undefined
  /** False when it could not be kept. */
  write: (name: string, value: unknown) => boolean
  remove: (name: string) => void
}

/** `area` is asked for each time, because merely naming `localStorage` throws where it is blocked. */
export function createStore(prefix: string, area: () => Storage): Store {
  return {
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
        // What cannot be reached is not there.
      }
    },
  }
}
