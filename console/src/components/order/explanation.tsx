import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type { Answer } from '../../api/client.ts'
import { Adjustments } from '../adjustments.tsx'
import { Badge, Notice } from '../badge.tsx'
import { FindingDetails } from '../finding-details.tsx'
import { wordsOf } from '../format.ts'
import { SignalParts } from '../score-parts.tsx'
import { signalName } from './signals.ts'

type Details = Pick<
  Answer<OrderDetails>,
  'order' | 'signals' | 'adjustments' | 'shadows' | 'is_of_new_organization' | 'experience'
>

export function OrderExplanation({ details }: { details: Details }) {
  const parts = details.signals.map((part) => ({
    ...part,
    name: signalName(part.signal),
    children: <Finding {...part} />,
  }))
  return (
    <div class="stack">
      {details.is_of_new_organization && (
        <Notice>
          This is one of the organization’s first orders. There is no baseline yet, so statistical
          findings alone do not flag an order.
        </Notice>
      )}
      <SignalParts score={details.order.risk_score} parts={parts} />
      <Adjustments adjustments={details.adjustments} shadows={details.shadows} />
      {details.experience !== null && <p class="muted">{details.experience}.</p>}
    </div>
  )
}

function Finding({ flag, finding, sentence, numbers }: Details['signals'][number]) {
  return (
    <>
      {sentence !== null && <p>{sentence}.</p>}
      {flag !== null && (
        <p class="row">
          <Badge tone="warn">{wordsOf(flag)}</Badge>
        </p>
      )}
      <FindingDetails finding={finding} numbers={numbers} />
    </>
  )
}
