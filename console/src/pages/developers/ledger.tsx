/** What moved credits, newest first, with the balance after each. */
import type { LedgerPage } from '../../../../src/modules/billing/schema.ts'
import { usePages } from '../../api/read.ts'
import { Empty, More, numberText, Section, Shown, Table, Time } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import styles from './developers.module.css'

const CREDITS = { digits: 4 }

export function Ledger() {
  const { id: org_id } = useOrg()
  const pages = usePages<LedgerPage>('/console/api/ledger', { org_id })
  return (
    <Section title="Ledger">
      <Shown read={pages} what="the ledger">
        {({ pages: read }) => {
          const entries = read.flatMap((page) => page.entries)
          if (entries.length === 0) {
            return (
              <Empty title="No credits have moved yet">
                <p>Grants appear here at once, usage within minutes.</p>
              </Empty>
            )
          }
          return (
            <>
              <Table
                label="Ledger"
                rows={entries}
                keyOf={({ id }) => id}
                columns={[
                  {
                    label: 'Time',
                    cell: ({ at }) => (
                      <span class={styles['nowrap']}>
                        <Time at={at} />
                      </span>
                    ),
                  },
                  { label: 'Reason', isWide: true, cell: ({ reason }) => reason },
                  {
                    label: 'Credits',
                    isNumber: true,
                    cell: ({ credits }) =>
                      `${credits > 0 ? '+' : ''}${numberText(credits, CREDITS)}`,
                  },
                  {
                    label: 'Balance after',
                    isNumber: true,
                    cell: ({ balance_credits }) => numberText(balance_credits, CREDITS),
                  },
                ]}
              />
              <More pages={pages} shown={entries.length} what="transfers" />
            </>
          )
        }}
      </Shown>
    </Section>
  )
}
