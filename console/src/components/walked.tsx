/** Below a list that looks a bounded number of rows back per page: how far, and the way further. */
import { Button } from './button.tsx'
import { Time } from './time.tsx'

type Pages = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

export type WalkedProps = {
  pages: Pages
  shown: number
  /** In the plural: "orders". */
  what: string
  /** How far back was looked when the filters left too few; null when a page was full. */
  examined_until: string | null
}

export function Walked({ pages, shown, what, examined_until }: WalkedProps) {
  return (
    <div class="more">
      <span class="muted" aria-live="polite">
        {shown} {shown === 1 ? what.replace(/s$/, '') : what}
        {pages.hasNextPage ? ' so far' : ''}
        {examined_until !== null && (
          <>
            ; looked back to <Time at={examined_until} />
          </>
        )}
      </span>
      {pages.hasNextPage && (
        <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {examined_until === null ? 'Load more' : 'Look further back'}
        </Button>
      )}
    </div>
  )
}
