/** Identities that the organization allows, blocks or watches. */
import { useState } from 'preact/hooks'
import type { ListedEntry, ListImport, ListPage } from '../../../../src/modules/lists/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { useChange, usePages } from '../../api/read.ts'
import { CsvField } from '../../components/csv-field.tsx'
import {
  Badge,
  Button,
  ConfirmButton,
  FormDialog,
  ListPage as ListPageFrame,
  Notice,
  Time,
} from '../../components/index.ts'
import { AddEntry, LISTS_PATH } from '../../components/lists/add-entry.tsx'
import { KINDS, kindName, LIST_TONES, LISTS } from '../../components/lists/names.ts'
import { saveFile } from '../../components/save-file.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { useOrg, useScope } from '../../shell/organization.ts'

const ANY_LIST = { value: '', label: 'Any list' }
const ANY_KIND = { value: '', label: 'Any kind' }

export default function ListsPage() {
  const scope = useScope()
  const { is_admin } = useOrg()
  const view = useFilters({ list: '', kind: '', value: '' })
  const [dialog, setDialog] = useState<'add' | 'import'>()
  const close = () => setDialog(undefined)
  const query = Object.fromEntries(Object.entries(view[0]).filter(([, text]) => text !== ''))
  const pages = usePages<ListPage>(LISTS_PATH, { ...scope, ...query })
  return (
    <>
      <ListPageFrame
        title="Lists"
        lead={`Who and what is blocked, watched or allowed in ${scope.mode} data`}
        actions={
          <>
            {is_admin && <Export />}
            {is_admin && <Button onClick={() => setDialog('import')}>Import…</Button>}
            <Button kind="primary" onClick={() => setDialog('add')}>
              Add an entry
            </Button>
          </>
        }
        list={rowsOfPages(pages, ({ entries }) => entries)}
        what="entries"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        batch={{
          nameOf: ({ list, value }) => `${value} on the ${list} list`,
          actions: [
            {
              label: 'Remove',
              isDanger: true,
              effect: 'The entries are removed from their lists. Existing scores stay the same.',
              callOf: ({ id }) => ({
                method: 'DELETE',
                path: `${LISTS_PATH}/${id}`,
                query: scope,
              }),
            },
          ],
          invalidates: [LISTS_PATH],
        }}
        view={view}
        filters={[
          { name: 'list', label: 'List', options: [ANY_LIST, ...LISTS] },
          { name: 'kind', label: 'Kind', options: [ANY_KIND, ...KINDS] },
          { name: 'value', label: 'Value', type: 'search', placeholder: 'The whole value' },
        ]}
        empty={<p>Add an e-mail address, a device or a network, or import a CSV file.</p>}
      />
      {dialog === 'add' && <AddEntry onClose={close} />}
      {dialog === 'import' && <Import onClose={close} />}
    </>
  )
}

const COLUMNS: readonly Column<ListedEntry>[] = [
  { label: 'List', cell: ({ list }) => <Badge tone={LIST_TONES[list]}>{list}</Badge> },
  { label: 'Kind', cell: ({ kind }) => kindName(kind) },
  { label: 'Value', cell: ({ value }) => <code>{value}</code> },
  { label: 'Reason', isWide: true, cell: ({ reason }) => reason },
  { label: 'Added', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
  { label: 'Added by', cell: (entry) => entry.created_by_email ?? entry.created_by },
  { label: 'Expires', cell: (entry) => <Expiry entry={entry} /> },
  { label: 'Actions', hideLabel: true, cell: (entry) => <Remove entry={entry} /> },
]

function Expiry({ entry: { expires_at } }: { entry: ListedEntry }) {
  if (expires_at === null) return <span class="muted">never</span>
  if (new Date(expires_at) <= new Date()) return <Badge>expired</Badge>
  return <Time at={expires_at} as="day" />
}

function Remove({ entry: { id, list, value } }: { entry: ListedEntry }) {
  const scope = useScope()
  const query = new URLSearchParams(scope).toString()
  const remove = useChange<void, ListedEntry>(
    () => ({ method: 'DELETE', path: `${LISTS_PATH}/${id}?${query}` }),
    { invalidates: [LISTS_PATH], toast: `Removed ${value} from the ${list} list` },
  )
  return (
    <ConfirmButton
      label="Remove"
      aria-label={`Remove ${value}`}
      size="small"
      title="Remove the entry"
      action="Remove"
      change={remove}
    >
      <p>
        {value} is no longer on the {list} list. Existing scores stay the same.
      </p>
    </ConfirmButton>
  )
}

function Export() {
  const scope = useScope()
  const query = new URLSearchParams(scope).toString()
  const save = useChange<void, { csv: string }>(
    () => ({ method: 'GET', path: `${LISTS_PATH}/export?${query}` }),
    {
      onSuccess: ({ csv }) =>
        saveFile(new Blob([csv], { type: 'text/csv' }), `lists-${scope.mode}.csv`),
    },
  )
  return (
    <Button busy={save.isPending} onClick={() => save.mutate()}>
      Export
    </Button>
  )
}

function Import({ onClose }: { onClose: () => void }) {
  const scope = useScope()
  const [csv, setCsv] = useState('')
  const [result, setResult] = useState<ListImport>()
  const load = useChange<void, ListImport>(
    () => ({ method: 'POST', path: `${LISTS_PATH}/import`, body: { ...scope, csv } }),
    { invalidates: [LISTS_PATH], onSuccess: setResult, quiet: true },
  )
  return (
    <FormDialog
      title="Import lists"
      action="Import"
      change={load}
      disabled={csv === ''}
      onClose={onClose}
    >
      <p>
        A CSV file with the columns <code>list</code>, <code>kind</code> and <code>value</code>, and
        optionally <code>reason</code> and <code>expires_at</code>. An export can be imported again.
      </p>
      <CsvField onText={setCsv} />
      {result && <ImportResult result={result} />}
    </FormDialog>
  )
}

function ImportResult({ result: { stored, refused, faults } }: { result: ListImport }) {
  return (
    <Notice tone={refused > 0 ? 'warn' : 'good'}>
      <p>
        {stored} stored, {refused} refused.
      </p>
      <ul>
        {faults.map(({ line, message }) => (
          <li key={line}>
            Line {line}: {message}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
