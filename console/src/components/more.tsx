import type { NextPage, Rows } from '../api/lists.ts'
import { Button } from './button.tsx'
import { countText } from './format.ts'
import { Time } from './time.tsx'

/** @property what in the plural: "orders" */
type MoreProps = { pages: NextPage; shown: number; what: string } & Pick<
  Rows<unknown>,
  'examined_until'
>

/** Below a list that is read page by page: the number of rows and the button for further ones. */
export function More({ pages, shown, what, examined_until }: MoreProps) {
  return (
    <div class="more">
      <span class="muted" aria-live="polite">
        {countText(shown, what)}
        {pages.hasNextPage ? ' so far' : ''}
        {examined_until && (
          <>
            ; searched back to <Time at={examined_until} />
          </>
        )}
      </span>
      {pages.hasNextPage && (
        <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {examined_until ? 'Search further back' : 'Load more'}
        </Button>
      )}
    </div>
  )
}
