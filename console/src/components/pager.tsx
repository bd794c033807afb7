import { Button } from './button.tsx'
import { countText, numberText } from './format.ts'

export type Pagination = { page: number; limit: number; total: number; pages: number }

/** @property what in the plural: "devices" */
type PagerProps = { pagination: Pagination; what: string; onPage: (page: number) => void }

/** Below a list with numbered pages. */
export function Pager({ pagination, what, onPage }: PagerProps) {
  const { page, limit, total, pages } = pagination
  const first = Math.min(total, (page - 1) * limit + 1)
  const last = Math.min(total, page * limit)
  return (
    <nav class="more" aria-label={`Pages of ${what}`}>
      <span class="muted" aria-live="polite">
        {pages > 1 ? `${numberText(first)}–${numberText(last)} of ` : ''}
        {countText(total, what)}
      </span>
      {pages > 1 && (
        <PageButtons
          page={page}
          label={`Page ${numberText(page)} of ${numberText(pages)}`}
          isLast={page >= pages}
          onPage={onPage}
        />
      )}
    </nav>
  )
}

type ButtonsProps = { page: number; label: string; isLast: boolean; onPage: PagerProps['onPage'] }

export function PageButtons({ page, label, isLast, onPage }: ButtonsProps) {
  return (
    <span class="actions">
      <Button size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <span>{label}</span>
      <Button size="small" disabled={isLast} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </span>
  )
}
