import type { CashierActionItem } from '../../../../src/modules/cashier/reading/schema.ts'
import { storeName } from '../../components/cashier/words.ts'
import {
  amountText,
  FlagsInLine,
  Identifier,
  SCORE_COLUMN,
  Time,
  wordsOf,
} from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { PageLink } from '../../shell/links.tsx'

const CASHIER: Column<CashierActionItem> = {
  label: 'Cashier',
  cell: ({ cashier_id, cashier_external_id }) => (
    <PageLink to={`/cashiers/${cashier_id}`}>{cashier_external_id}</PageLink>
  ),
}

/** @param hasCashier false where all actions belong to one cashier */
export const actionColumns = (hasCashier = true): Column<CashierActionItem>[] => [
  {
    label: 'Performed',
    cell: ({ id, performed_at }) => (
      <PageLink to={`/cashiers/actions/${id}`}>
        <Time at={performed_at} />
      </PageLink>
    ),
  },
  ...(hasCashier ? [CASHIER] : []),
  { label: 'Action', cell: ({ action_type }) => wordsOf(action_type) },
  {
    label: 'Amount',
    isNumber: true,
    cell: ({ amount_cents }) => (amount_cents === null ? null : amountText(amount_cents, null)),
  },
  SCORE_COLUMN,
  { label: 'Flags', cell: ({ flags }) => <FlagsInLine flags={flags} /> },
  {
    label: 'Terminal',
    cell: ({ edge_device_id }) => edge_device_id && <Identifier text={edge_device_id} />,
  },
  { label: 'Store', cell: ({ location }) => storeName(location) },
  {
    label: 'Order',
    cell: ({ order_external_id }) => order_external_id && <Identifier text={order_external_id} />,
  },
]
