/** Filters in the address, so that a link reproduces the view. */
import { useCallback } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter'

export type Filters<Name extends string> = Readonly<Record<Name, string>>
export type SetFilters<Name extends string> = (
  changed: Partial<Filters<Name>>,
  options?: { replace?: boolean },
) => void

export type View<Name extends string> = readonly [
  values: Filters<Name>,
  set: SetFilters<Name>,
  state: { isFiltered: boolean; clear: () => void },
]

/**
 * @param defaults values of names that are not in the address; a default is never written into it
 * @returns the values, a function that changes some of them, and how to remove all of them
 */
export function useFilters<Name extends string>(defaults: Filters<Name>): View<Name> {
  const search = useSearch()
  const [path, navigate] = useLocation()
  const present = new URLSearchParams(search)
  const values = Object.fromEntries(
    Object.entries<string>(defaults).map(([name, initial]) => [name, present.get(name) ?? initial]),
  ) as Filters<Name>

  const set = useCallback<SetFilters<Name>>(
    (changed, { replace = false } = {}) => {
      // The current address: two filters may be set before the next render, or one by a timer.
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
  const names = Object.keys(defaults) as Name[]
  const isFiltered = names.some((name) => values[name] !== defaults[name])
  const clear = () => set(Object.fromEntries(names.map((name) => [name, undefined])) as object)
  return [values, set, { isFiltered, clear }]
}

/** Filters of a list with numbered pages. Changing a filter goes back to the first page. */
export function usePagedFilters<Name extends string>(
  defaults: Filters<Name>,
): { view: View<Name>; page: number; setPage: (page: number) => void } {
  const [{ page, ...values }, set, { clear }] = useFilters<string>({ ...defaults, page: '1' })
  const filters = values as Filters<Name>
  const isFiltered = Object.entries<string>(defaults).some(
    ([name, initial]) => values[name] !== initial,
  )
  return {
    view: [
      filters,
      (changed, options) => set({ ...changed, page: '1' }, options),
      { isFiltered, clear },
    ],
    page: Math.max(1, Math.trunc(Number(page)) || 1),
    setPage: (next) => set({ page: String(next) }),
  }
}
