/** The costs of a period by API key. */
import type { KeyCosts, PricedCosts } from '../../../../src/modules/volume/schema.ts'
import { numberText, Table } from '../../components/index.ts'
import { meterName } from '../../components/meters.ts'
import type { Column } from '../../components/table.tsx'
import { moneyText } from './money.ts'

const CREDITS = { digits: 4 }

export const KeyCostsTable = ({ keys, price }: Pick<PricedCosts, 'keys' | 'price'>) => (
  <Table
    label="Costs by API key"
    rows={keys}
    keyOf={({ key_id }) => key_id ?? ''}
    columns={columnsOf(price)}
  />
)

const columnsOf = (price: PricedCosts['price']): readonly Column<KeyCosts>[] => [
  { label: 'API key', isWide: true, cell: (key) => <KeyName costs={key} /> },
  { label: 'For', cell: ({ meters }) => meters.map(partText).join(', ') },
  {
    label: 'Credits',
    isNumber: true,
    cell: ({ total_credits }) => numberText(total_credits, CREDITS),
  },
  ...(price === null
    ? []
    : [
        {
          label: 'Amount',
          isNumber: true,
          cell: ({ total_credits }: KeyCosts) => moneyText(total_credits, price),
        },
      ]),
]

function KeyName({ costs: { key_id, name, key_hint } }: { costs: KeyCosts }) {
  if (key_id === null) return <span class="muted">Console, or before keys were recorded</span>
  return (
    <>
      {name !== '' && <div>{name}</div>}
      <code>{key_hint}</code>
    </>
  )
}

const partText = ({ meter, total_quantity }: KeyCosts['meters'][number]): string =>
  `${numberText(total_quantity)} ${meterName(meter).toLowerCase()}`
