/** Merges an error group into another one, and splits what was merged into it. */
import { useState } from 'preact/hooks'
import type { MergedGroups } from '../../../../../src/modules/edge/error-merges/schema.ts'
import type { ErrorGroupRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { mapRead } from '../../../api/lists.ts'
import { useChange, useRead } from '../../../api/read.ts'
import {
  Button,
  Copyable,
  FormDialog,
  ListSection,
  SelectField,
  Time,
} from '../../../components/index.ts'
import { useMode, useOrg, useScope } from '../../../shell/organization.ts'

const ERRORS_PATH = '/console/api/edge/errors'
const GROUPS_LISTED = 100
const TITLE_CHARS = 80

type Query = Readonly<Record<string, string>>
type SectionProps = { fingerprint: string; query: Query }

const pathOf = (fingerprint: string): string =>
  `${ERRORS_PATH}/${encodeURIComponent(fingerprint)}/merges`

/** Everything below the path of error groups shows other numbers after a merge. */
const invalidatedBy = (fingerprint: string): string[] => [
  pathOf(fingerprint),
  ERRORS_PATH,
  `${ERRORS_PATH}/${encodeURIComponent(fingerprint)}`,
  `${ERRORS_PATH}/trends`,
  `${ERRORS_PATH}/states`,
  '/console/api/edge/logs',
]

export function MergedGroupsSection({ fingerprint, query }: SectionProps) {
  const [isMerging, setMerging] = useState(false)
  const read = useRead<MergedGroups>(pathOf(fingerprint), useScope())
  return (
    <>
      <ListSection
        title="Merged groups"
        list={mapRead(read, ({ merged }) => merged)}
        what="merged groups"
        emptyTitle="No other group is merged into this one"
        actions={<Button onClick={() => setMerging(true)}>Merge into another group…</Button>}
        keyOf={(merged) => merged.fingerprint}
        columns={[
          {
            label: 'Fingerprint',
            isWide: true,
            cell: (merged) => <Copyable text={merged.fingerprint} />,
          },
          { label: 'Merged', cell: ({ merged_at }) => <Time at={merged_at} as="exact" /> },
          { label: 'By', cell: ({ merged_by }) => merged_by ?? 'a former member' },
          {
            label: 'Actions',
            hideLabel: true,
            cell: (merged) => <SplitButton fingerprint={merged.fingerprint} group={fingerprint} />,
          },
        ]}
      />
      {isMerging && (
        <MergeDialog fingerprint={fingerprint} query={query} onClose={() => setMerging(false)} />
      )}
    </>
  )
}

function SplitButton({ fingerprint, group }: { fingerprint: string; group: string }) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const split = useChange(
    () => ({ method: 'DELETE', path: pathOf(fingerprint), query: { org_id, mode } }),
    {
      invalidates: [...invalidatedBy(group), ...invalidatedBy(fingerprint)],
      toast: 'Group split',
    },
  )
  return (
    <Button
      size="small"
      kind="quiet"
      busy={split.isPending}
      aria-label={`Split ${fingerprint}`}
      onClick={() => split.mutate()}
    >
      Split
    </Button>
  )
}

function MergeDialog({ fingerprint, query, onClose }: SectionProps & { onClose: () => void }) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [into, setInto] = useState('')
  const listed = useRead<ErrorGroupRecord[]>(ERRORS_PATH, { ...query, limit: GROUPS_LISTED })
  const others = (listed.data ?? []).filter((group) => group.fingerprint !== fingerprint)
  const merge = useChange(
    () => ({ method: 'POST', path: pathOf(fingerprint), body: { org_id, mode, into } }),
    {
      invalidates: invalidatedBy(fingerprint),
      toast: 'Groups merged',
      quiet: true,
      onSuccess: onClose,
    },
  )
  return (
    <FormDialog
      title="Merge into another group"
      action="Merge groups"
      disabled={into === ''}
      change={merge}
      onClose={onClose}
    >
      <p>
        Errors of both groups, and those that arrive later, are counted as the other group, with its
        state. You can split them again.
      </p>
      <SelectField
        label="Group"
        value={into}
        options={[
          { value: '', label: 'Select a group of this period' },
          ...others.map((group) => ({ value: group.fingerprint, label: labelOf(group) })),
        ]}
        onChange={setInto}
      />
    </FormDialog>
  )
}

const labelOf = ({ error_type, message }: ErrorGroupRecord): string =>
  [error_type, message.slice(0, TITLE_CHARS)].filter((text) => text).join(': ') || '(empty message)'
