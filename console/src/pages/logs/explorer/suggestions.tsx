/** Similar queries that find something, when one found nothing. */
import type { Suggestion } from '../../../../../src/modules/edge/logs/query/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Button } from '../../../components/index.ts'
import { type ScopedLogQuery, SUGGESTIONS_PATH } from '../queries.ts'
import styles from './explorer.module.css'

export type SuggestionsProps = {
  query: ScopedLogQuery & { q: string }
  onSuggestion: (suggestion: Suggestion) => void
}

export function Suggestions({ query, onSuggestion }: SuggestionsProps) {
  const { data = [], isPending } = useRead<Suggestion[]>(SUGGESTIONS_PATH, query)
  // If they cannot be loaded, the empty list says enough.
  if (isPending) return <p class="muted">Looking for similar searches…</p>
  if (data.length === 0) return null
  return (
    <ul aria-label="Suggestions" class={styles['suggestions']}>
      {data.map((suggestion) => (
        <li key={suggestion.q}>
          {suggestion.text}{' '}
          <Button size="small" onClick={() => onSuggestion(suggestion)}>
            Search {suggestion.q}
          </Button>
        </li>
      ))}
    </ul>
  )
}
