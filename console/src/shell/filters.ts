/** Filters that live in the address, so that a link reproduces the view. */
import { useCallback } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter'

export type Filters<Name extends string> = Readonly<Record<Name, string>>
export type SetFilters<Name extends string> = (
  changed: Partial<Filters<Name>>,
  options?: { replace?: boolean },
) => void

/**
 * @param defaults what is meant by a name that the address does not have; such values stay out of it
 * @returns the values and a function that changes some of them
 */
export function useFilters<Name extends string>(
  defaults: Filters<Name>,
): [Filters<Name>, SetFilters<Name>] {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const given = new URLSearchParams(search)
  const values = Object.fromEntries(
    Object.entries<string>(defaults).map(([name, usual]) => [name, given.get(name) ?? usual]),
  ) as Filters<Name>

  const set = useCallback<SetFilters<Name>>(
    (changed, { replace = false } = {}) => {
      // As it is now: two may be set before anything is drawn again, or one by a timer.
      const next = new URLSearchParams(window.location.search)
      for (const [name, value] of Object.entries<string | undefined>(changed)) {
        if (value === undefined || value === defaults[name as Name]) next.delete(name)
        else next.set(name, value)
      }
      const text = next.toString()
      navigate(text === '' ? path : `${path}?${text}`, { replace })
    },
    [path],
  )
  return [values, set]
}
