/** What was in force, with who applied it and why; and the way back. */
import { useState } from 'preact/hooks'
import type {
  RuleOverrides,
  RulesShown,
  RulesVersion,
  RulesVersionPage,
} from '../../../../src/modules/orders/rules/schema.ts'
import { usePages } from '../../api/read.ts'
import {
  Badge,
  Button,
  Failed,
  More,
  Section,
  Table,
  Time,
  Waiting,
} from '../../components/index.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { AdminsOnly, ApplyDialog } from './apply.tsx'
import { changesBetween } from './draft.ts'
import { RulesFrame } from './frame.tsx'
import styles from './rules.module.css'
import { RULES_PATH } from './use-rules.ts'

export default function VersionsPage() {
  return <RulesFrame>{(rules) => <Versions rules={rules} />}</RulesFrame>
}

type Row = { version: number; overrides: RuleOverrides; applied: RulesVersion | undefined }

const DEFAULTS: Row = { version: 0, overrides: {}, applied: undefined }

function Versions({ rules }: { rules: RulesShown }) {
  const { id: org_id, is_admin } = useOrg()
  const mode = useMode()
  const [back, setBack] = useState<Row>()
  const pages = usePages<RulesVersionPage>(`${RULES_PATH}/versions`, { org_id, mode })
  const known = pages.data?.pages.flatMap((page) => page.versions) ?? []
  const rows: Row[] = known.map((applied) => ({ ...applied, applied }))
  const all = pages.hasNextPage ? rows : [...rows, DEFAULTS]
  return (
    <Section title="Versions" actions={is_admin ? undefined : <AdminsOnly />}>
      {pages.error ? (
        <Failed error={pages.error} onRetry={() => void pages.refetch()} />
      ) : pages.data === undefined ? (
        <Waiting for="versions" />
      ) : (
        <>
          <Table
            label="Versions"
            rows={all}
            keyOf={({ version }) => String(version)}
            isCurrent={({ version }) => version === rules.version}
            columns={[
              { label: 'Version', cell: (row) => <VersionName row={row} rules={rules} /> },
              {
                label: 'What it changed',
                isWide: true,
                cell: (row) => <Changed row={row} rows={all} rules={rules} />,
              },
              { label: 'Note', cell: ({ applied }) => <Note text={applied?.note ?? null} /> },
              { label: 'Applied', cell: ({ applied }) => <Applied applied={applied} /> },
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
          {pages.hasNextPage && <More pages={pages} shown={rows.length} what="versions" />}
        </>
      )}
      {back && (
        <ApplyDialog
          rules={rules}
          overrides={back.overrides}
          back_to={back.version}
          onDone={() => setBack(undefined)}
          onClose={() => setBack(undefined)}
        />
      )}
    </Section>
  )
}

function VersionName({ row, rules }: { row: Row; rules: RulesShown }) {
  return (
    <>
      {row.version === 0 ? 'Defaults' : row.version}{' '}
      {row.version === rules.version && <Badge tone="good">in force</Badge>}
    </>
  )
}

/** Beside the one before it; of the last one of a page that is not known yet. */
function Changed({ row, rows, rules }: { row: Row; rows: readonly Row[]; rules: RulesShown }) {
  const { applied } = row
  if (applied === undefined) return <span class="muted">What Vigil comes with</span>
  const before = rows.find(({ version }) => version === row.version - 1)
  const changes = before && changesBetween(rules.sections, before.overrides, row.overrides)
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
      </ul>
    </>
  )
}

const Note = ({ text }: { text: string | null }) =>
  text === null ? <span class="muted">–</span> : <span class={styles['note']}>{text}</span>

const Applied = ({ applied }: { applied: RulesVersion | undefined }) =>
  applied ? (
    <>
      <Time at={applied.applied_at} />
      <br />
      <span class="muted">{applied.applied_by_email ?? applied.applied_by}</span>
    </>
  ) : (
    <span class="muted">–</span>
  )
