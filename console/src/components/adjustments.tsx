/** What lists have changed about a score. */
import type { OrderDetails } from '../../../src/modules/orders/reading/schema.ts'

export function Adjustments({ adjustments }: { adjustments: OrderDetails['adjustments'] }) {
  if (adjustments.length === 0) return null
  return (
    <>
      <h3>Lists</h3>
      <ol>
        {adjustments.map((adjustment) => (
          <li key={`${adjustment.by} ${adjustment.id} ${adjustment.effect}`}>
            {adjustment.sentence}.
          </li>
        ))}
      </ol>
    </>
  )
}
