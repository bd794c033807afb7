/** Puts what the items of a case have in common, or what the shown item has, on a list. */
import type { ExplainedCashierAction } from '../../../../src/modules/cashier/reading/schema.ts'
import type { ListKind } from '../../../../src/modules/lists/schema.ts'
import type { OrderDetails } from '../../../../src/modules/orders/reading/schema.ts'
import type {
  CaseDetails,
  CaseItem,
  CaseLink,
} from '../../../../src/modules/reviews/cases/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useRead } from '../../api/read.ts'
import { AddToList } from '../../components/lists/add-entry.tsx'
import { identitiesOf, knownOfAction, knownOfOrder } from '../../components/lists/identities.ts'
import { useOrg } from '../../shell/organization.ts'
import { subjectPath } from '../reviews/review-subject.tsx'

const LIST_KINDS: Readonly<Partial<Record<CaseLink['kind'], ListKind>>> = {
  device: 'device',
  profile: 'profile',
  cashier: 'cashier',
  address: 'ip',
  terminal: 'terminal',
}

type Props = Pick<CaseDetails, 'links' | 'items'> & { item: CaseItem }
type Subject = Answer<OrderDetails> | ExplainedCashierAction

export function CaseLists({ links, items, item }: Props) {
  const { id: org_id } = useOrg()
  const { data } = useRead<Subject>(subjectPath(item), { org_id })
  const ofItem = data === undefined ? [] : 'sent' in data ? knownOfOrder(data) : knownOfAction(data)
  const ofLinks = links.flatMap(({ kind, value }) => {
    const listed = LIST_KINDS[kind]
    return listed === undefined ? [] : [[listed, value] as const]
  })
  const countries = items.map(({ country }) => ['country', country] as const)
  return <AddToList identities={identitiesOf([...ofLinks, ...ofItem, ...countries])} />
}
