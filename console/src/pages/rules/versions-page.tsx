import { useState } from 'preact/hooks'
import type {
  CustomRule,
  RuleOverrides,
  RulesShown,
  RulesVersion,
  RulesVersionPage,
} from '../../../../src/modules/orders/rules/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { Badge, Button, ListSection, Time } from '../../components/index.ts'
import { useOrg, useScope } from '../../shell/organization.ts'
import { AdminsOnly, ApplyDialog } from './apply.tsx'
import { customChanges } from './custom-draft.ts'
import { changesBetween } from './draft.ts'
import styles from './rules.module.css'
import { RulesPage } from './rules-page.tsx'
import { RULES_PATH } from './use-rules.ts'

export default function VersionsPage() {
  return <RulesPage>{(rules) => <Versions rules={rules} />}</RulesPage>
}

type Row = {
  version: number
  overrides: RuleOverrides
  custom_rules: readonly CustomRule[]
  applied: RulesVersion | undefined
}

const DEFAULTS: Row = { version: 0, overrides: {}, custom_rules: [], applied: undefined }

const rowOf = (applied: RulesVersion): Row => ({ ...applied, applied })

function Versions({ rules }: { rules: RulesShown }) {
  const { is_admin } = useOrg()
  const [back, setBack] = useState<Row>()
  const pages = usePages<RulesVersionPage>(`${RULES_PATH}/versions`, useScope())
  const list = rowsOfPages(pages, ({ versions }) => versions.map(rowOf))
  // The defaults come last, after the oldest version.
  const rows = list.data && (pages.hasNextPage ? list.data : [...list.data, DEFAULTS])
  return (
    <>
      <ListSection
        title="Versions"
        actions={is_admin ? undefined : <AdminsOnly />}
        list={{ ...list, data: rows }}
        what="versions"
        keyOf={({ version }) => String(version)}
        isCurrent={({ version }) => version === rules.version}
        columns={[
          { label: 'Version', cell: (row) => <VersionName row={row} rules={rules} /> },
          {
            label: 'Changes',
            isWide: true,
            cell: (row) => <Changed row={row} rows={rows ?? []} rules={rules} />,
          },
          {
            label: 'Note',
            cell: ({ applied }) =>
              applied?.note && <span class={styles['note']}>{applied.note}</span>,
          },
          { label: 'Applied', cell: ({ applied }) => applied && <Applied applied={applied} /> },
          {
            label: 'Roll back',
            hideLabel: true,
            cell: (row) =>
              row.version !== rules.version && (
                <Button size="small" disabled={!is_admin} onClick={() => setBack(row)}>
                  Roll back{' '}
                  <span class="visually-hidden">
                    {row.version === 0 ? 'to the defaults' : `to version ${row.version}`}
                  </span>
                </Button>
              ),
          },
        ]}
      />
      {back && (
        <ApplyDialog
          rules={rules}
          overrides={back.overrides}
          custom_rules={back.custom_rules}
          back_to={back.version}
          onDone={() => setBack(undefined)}
          onClose={() => setBack(undefined)}
        />
      )}
    </>
  )
}

function VersionName({ row, rules }: { row: Row; rules: RulesShown }) {
  return (
    <>
      {row.version === 0 ? 'Defaults' : row.version}{' '}
      {row.version === rules.version && <Badge tone="good">active</Badge>}
    </>
  )
}

/** Compared with the previous version, which may not be loaded yet. */
function Changed({ row, rows, rules }: { row: Row; rows: readonly Row[]; rules: RulesShown }) {
  const { applied } = row
  if (applied === undefined) return <span class="muted">Built-in rules</span>
  const before = rows.find(({ version }) => version === row.version - 1)
  const changes = before && changesBetween(rules.sections, before.overrides, row.overrides)
  const custom = before && customChanges(before.custom_rules, row.custom_rules)
  return (
    <>
      {applied.rolled_back_to !== null && (
        <p>
          Rolled back to{' '}
          {applied.rolled_back_to === 0 ? 'the defaults' : `version ${applied.rolled_back_to}`}
        </p>
      )}
      <ul class={styles['changed']}>
        {changes?.map(({ field, section, label, from, to }) => (
          <li key={field}>
            {section}: {label} {from} → <strong>{to}</strong>
          </li>
        ))}
        {custom?.map(({ name, change }) => (
          <li key={name}>
            Custom rule <strong>{name}</strong> {change}
          </li>
        ))}
      </ul>
    </>
  )
}

const Applied = ({ applied }: { applied: RulesVersion }) => (
  <>
    <Time at={applied.applied_at} />
    <br />
    <span class="muted">{applied.applied_by_email ?? applied.applied_by}</span>
  </>
)
