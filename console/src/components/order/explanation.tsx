/** Why an order got its score: its six signals as bars, each with what was found, in words. */
import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { Badge, Notice } from '../badge.tsx'
import { ScoreParts } from '../score-parts.tsx'
import { signalName, wordsOf } from './signals.ts'

type Details = Answer<OrderDetails>
type Signal = Details['signals'][number]

export type OrderExplanationProps = {
  score: number
  signals: readonly Signal[]
  is_of_new_organization: boolean
}

export function OrderExplanation({
  score,
  signals,
  is_of_new_organization,
}: OrderExplanationProps) {
  const parts = signals.filter(({ strength }) => strength > 0)
  const silent = signals.filter(({ strength }) => strength === 0)
  return (
    <div class="stack">
      {is_of_new_organization && (
        <Notice>
          This is one of the first orders of the organisation: what is ordinary is not known yet, so
          statistics alone flag nothing.
        </Notice>
      )}
      {parts.length === 0 ? (
        <p class="muted">Nothing stood out.</p>
      ) : (
        <ScoreParts
          score={score}
          parts={parts.map((part) => ({
            ...part,
            name: signalName(part.signal),
            children: <Finding part={part} />,
          }))}
        />
      )}
      {silent.length > 0 && (
        <p class="muted">
          Counted nothing: {silent.map(({ signal }) => signalName(signal).toLowerCase()).join(', ')}
          .
        </p>
      )}
    </div>
  )
}

function Finding({ part: { flag, finding, sentence } }: { part: Signal }) {
  return (
    <>
      {sentence !== null && <p>{sentence}.</p>}
      {(flag !== null || finding !== null) && (
        <p class="row">
          {finding !== null && <code class="muted">{finding}</code>}
          {flag !== null && <Badge tone="warn">{wordsOf(flag)}</Badge>}
        </p>
      )}
    </>
  )
}
