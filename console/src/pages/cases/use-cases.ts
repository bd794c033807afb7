/** State of the queue of cases: the list, the open case, the selection and decisions. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type {
  CaseDetails,
  CaseList,
  DecidedCase,
} from '../../../../src/modules/reviews/cases/schema.ts'
import { ApiError } from '../../api/client.ts'
import { usePages, useRead } from '../../api/read.ts'
import { type Decision, decisionName } from '../../components/decisions.tsx'
import { countText } from '../../components/format.ts'
import { useToasts } from '../../components/index.ts'
import { useIsOneColumn } from '../../components/list-detail.tsx'
import { useSession } from '../../session/context.ts'
import { useFilters } from '../../shell/filters.ts'
import { useScope } from '../../shell/organization.ts'
import { titleOf } from './case-text.ts'
import { nextCase } from './next-case.ts'

export const CASES = '/console/api/cases'
export const casePath = (id: string): string => `${CASES}/${encodeURIComponent(id)}`

const DEFAULTS = {
  state: 'active',
  order: 'amount',
  cause: '',
  assignee: '',
  escalated: '',
  case: '',
}

export type CasesState = ReturnType<typeof useCases>

export function useCases() {
  const scope = useScope()
  const { org_id } = scope
  const session = useSession()
  const client = useQueryClient()
  const toasts = useToasts()
  const [filters, setFilters] = useFilters(DEFAULTS)
  const { state, order, cause, assignee, escalated } = filters
  const query = {
    ...scope,
    state,
    order,
    ...(cause !== '' && { cause }),
    ...(assignee !== '' && { assignee }),
    ...(escalated !== '' && { escalated }),
  }
  const pages = usePages<CaseList>(CASES, query)
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const [selection, setSelection] = useState<ReadonlySet<string>>(new Set())
  const [announcement, announce] = useState('')
  const listed = pages.data?.pages.flatMap(({ cases }) => cases)
  const items = state === 'closed' ? listed : listed?.filter(({ id }) => !gone.has(id))
  const ids = items?.map(({ id }) => id) ?? []
  const isOneColumn = useIsOneColumn()
  const current = filters.case || (isOneColumn ? '' : (ids[0] ?? ''))
  // The open case stays open when others arrive or the window becomes narrow.
  const isUnnamed = filters.case === '' && current !== ''
  useLayoutEffect(() => {
    if (isUnnamed) setFilters({ case: current }, { replace: true })
  }, [isUnnamed, current])
  const read = useRead<CaseDetails>(casePath(current), { org_id }, { enabled: current !== '' })
  const next = nextCase(ids, current)

  // The next case is on the screen as soon as it is opened.
  useEffect(() => {
    if (next === '') return
    const path = casePath(next)
    void client.prefetchQuery({
      queryKey: [path, { org_id }],
      queryFn: ({ signal }) => session.call({ path, query: { org_id }, signal }),
      retry: false,
    })
  }, [next])

  const open = (id: string) => {
    setSelection(new Set())
    setFilters({ case: id }, { replace: true })
  }
  const step = (by: 1 | -1) => {
    const id = ids[ids.indexOf(current) + by]
    if (id === undefined) announce(by === 1 ? 'This is the last case.' : 'This is the first case.')
    else open(id)
  }
  const refresh = async () =>
    await client.invalidateQueries({
      predicate: ({ queryKey: [path] }) => typeof path === 'string' && path.startsWith(CASES),
    })

  /** Does nothing until the case is on the screen. */
  const decide = async (
    decision: Decision,
    { note, reason_code }: { note: string; reason_code: string },
  ) => {
    const shown = read.data
    if (shown === undefined || shown.case.id !== current) {
      announce('The case is still loading.')
      return
    }
    const { id, open_items } = shown.case
    const review_ids = [...selection]
    if (review_ids.length === 0 && open_items === 0) {
      announce('All items are decided. Select those to change.')
      return
    }
    const isWhole = review_ids.length === 0
    if (isWhole && state !== 'closed') {
      setGone((before) => new Set([...before, id]))
      open(next)
    }
    setSelection(new Set())
    announce(`Marked ${titleOf(shown.case)} as ${decisionName(decision)}.`)
    try {
      const { refused, decided } = await session.call<DecidedCase>({
        method: 'POST',
        path: `${casePath(id)}/decision`,
        body: {
          org_id,
          decision,
          ...(isWhole ? {} : { review_ids }),
          ...(note !== '' && { note }),
          ...(reason_code !== '' && { reason_code }),
        },
      })
      toasts.show(`${countText(decided, 'items')} marked as ${decisionName(decision)}`)
      if (refused.length > 0) {
        setGone((before) => new Set([...before].filter((one) => one !== id)))
        toasts.warn(`${countText(refused.length, 'items')} could not be decided`)
      }
    } catch (error) {
      setGone((before) => new Set([...before].filter((one) => one !== id)))
      const reason = error instanceof ApiError ? error.message : 'The service is not responding.'
      toasts.warn(`${titleOf(shown.case)} was not decided: ${reason}`)
    }
    await refresh()
  }

  const people = Object.assign(
    {},
    ...(pages.data?.pages.map((page) => page.people) ?? []),
  ) as Record<string, string>
  const select = (id: string, isSelected: boolean) =>
    setSelection((before) =>
      isSelected ? new Set([...before, id]) : new Set([...before].filter((one) => one !== id)),
    )
  return {
    filters,
    setFilters,
    pages,
    items,
    people,
    current,
    read,
    selection,
    select,
    open,
    step,
    decide,
    refresh,
    announcement,
  }
}
