/** Below a list that has numbered pages. */
import { Button } from './button.tsx'
import { numberText } from './format.ts'

export type PagerProps = {
  pagination: { page: number; limit: number; total: number; pages: number }
  /** In the plural: "devices". */
  what: string
  onPage: (page: number) => void
}

export function Pager({ pagination, what, onPage }: PagerProps) {
  const { page, limit, total, pages } = pagination
  const first = Math.min(total, (page - 1) * limit + 1)
  const last = Math.min(total, page * limit)
  return (
    <nav class="more" aria-label={`Pages of ${what}`}>
      <span class="muted" aria-live="polite">
        {pages > 1 ? `${numberText(first)}–${numberText(last)} of ` : ''}
        {numberText(total)} {what}
      </span>
      {pages > 1 && (
        <span class="actions">
          <Button size="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            Newer
          </Button>
          <span>
            Page {numberText(page)} of {numberText(pages)}
          </span>
          <Button size="small" disabled={page >= pages} onClick={() => onPage(page + 1)}>
            Older
          </Button>
        </span>
      )}
    </nav>
  )
}
