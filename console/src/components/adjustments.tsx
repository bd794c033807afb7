/** What custom rules and lists have changed about a score, and what rules in shadow would have. */
import type { OrderDetails } from '../../../src/modules/orders/reading/schema.ts'

type Adjusted = Pick<OrderDetails, 'adjustments' | 'shadows'>

export function Adjustments({ adjustments, shadows }: Adjusted) {
  return (
    <>
      <Sentences title="Rules and lists" adjustments={adjustments} />
      <Sentences title="Rules in shadow" adjustments={shadows} />
    </>
  )
}

type SentencesProps = Pick<OrderDetails, 'adjustments'> & { title: string }

function Sentences({ title, adjustments }: SentencesProps) {
  if (adjustments.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ol>
        {adjustments.map(({ sentence }) => (
          <li key={sentence}>{sentence}.</li>
        ))}
      </ol>
    </>
  )
}
