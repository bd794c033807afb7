import { Facts } from './facts.tsx'
import { wordsOf } from './format.ts'

type Details = {
  /** Name in the API. */
  finding: string | null
  numbers: Readonly<Record<string, number | string>>
}

/** The name and the numbers of a finding, collapsed. */
export function FindingDetails({ finding, numbers }: Details) {
  const measured = Object.entries(numbers)
  if (measured.length === 0) return finding === null ? null : <code class="muted">{finding}</code>
  return (
    <details>
      <summary class="muted">
        Details{finding !== null && ': '}
        {finding !== null && <code>{finding}</code>}
      </summary>
      <Facts facts={measured.map(([name, value]) => [wordsOf(name), value])} />
    </details>
  )
}
