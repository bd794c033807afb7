import { Button } from './button.tsx'

type Pages = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** Below a list that is read page by page. */
export function More({ pages, shown, what }: { pages: Pages; shown: number; what: string }) {
  return (
    <div class="more">
      <span class="muted" aria-live="polite">
        {shown} {what}
        {pages.hasNextPage ? ' so far' : ''}
      </span>
      {pages.hasNextPage && (
        <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Load more
        </Button>
      )}
    </div>
  )
}
