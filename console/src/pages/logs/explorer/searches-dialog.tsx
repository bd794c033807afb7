import { useState } from 'preact/hooks'
import type { SavedSearch } from '../../../../../src/modules/edge/searches/schema.ts'
import { useChange, useRead } from '../../../api/read.ts'
import {
  Actions,
  Button,
  Dialog,
  Empty,
  Form,
  FormActions,
  Loaded,
  TextField,
  Time,
} from '../../../components/index.ts'
import { useMe, useOrg } from '../../../shell/organization.ts'
import { type View, viewEntries, viewOf, viewWords } from '../view.ts'
import styles from './explorer.module.css'

const PATH = '/console/api/edge/searches'

export type SearchesDialogProps = { view: View; onOpen: (view: View) => void; onClose: () => void }

export function SearchesDialog({ view, onOpen, onClose }: SearchesDialogProps) {
  const { id: org_id } = useOrg()
  const read = useRead<{ searches: SavedSearch[] }>(PATH, { org_id })
  const [name, setName] = useState('')
  const save = useChange<void, SavedSearch>(
    () => ({
      method: 'POST',
      path: PATH,
      body: { org_id, name: name.trim(), filters: viewEntries(view) },
    }),
    { invalidates: [PATH], toast: 'Search saved', quiet: true, onSuccess: () => setName('') },
  )
  return (
    <Dialog title="Saved searches" onClose={onClose}>
      <div class="stack">
        <Form onSubmit={() => save.mutate()} error={save.error}>
          <TextField
            label="Save current view as"
            name="name"
            value={name}
            onChange={setName}
            hint={viewWords(view)}
            required
            maxLength={200}
          />
          <FormActions kind="plain" busy={save.isPending}>
            Save
          </FormActions>
        </Form>
        <Loaded read={read} what="saved searches">
          {({ searches }) =>
            searches.length === 0 ? (
              <Empty title="No saved searches yet">
                <p>All members of the organization see saved searches.</p>
              </Empty>
            ) : (
              <ul class={styles['searches']} aria-label="Saved searches">
                {searches.map((search) => (
                  <SearchItem
                    key={search.id}
                    search={search}
                    view={view}
                    onOpen={() => {
                      onClose()
                      onOpen(viewOf(search.filters))
                    }}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Dialog>
  )
}

type SearchItemProps = { search: SavedSearch; view: View; onOpen: () => void }

function SearchItem({ search, view, onOpen }: SearchItemProps) {
  const { id: org_id, is_admin } = useOrg()
  const { user_id } = useMe()
  const [name, setName] = useState<string>()
  const path = `${PATH}/${search.id}`
  const change = useChange<{ name?: string; filters?: object }>(
    (changed) => ({ method: 'PATCH', path, body: { org_id, ...changed } }),
    { invalidates: [PATH], toast: 'Search updated', onSuccess: () => setName(undefined) },
  )
  const remove = useChange(() => ({ method: 'DELETE', path, query: { org_id } }), {
    invalidates: [PATH],
    toast: 'Search deleted',
  })
  const mayChange = is_admin || search.created_by.user_id === user_id
  return (
    <li>
      {name === undefined ? (
        <button type="button" class={`button button-quiet ${styles['search']}`} onClick={onOpen}>
          {search.name}
        </button>
      ) : (
        <Form onSubmit={() => change.mutate({ name: name.trim() })} class="row">
          <TextField label="New name" value={name} onChange={setName} maxLength={200} required />
          <Button type="submit" busy={change.isPending}>
            Rename
          </Button>
          <Button onClick={() => setName(undefined)}>Cancel</Button>
        </Form>
      )}
      <div class="muted">{viewWords(viewOf(search.filters))}</div>
      <div class="row">
        <span class="muted">
          {search.created_by.email ?? 'A former member'}, <Time at={search.created_at} as="day" />
        </span>
        {mayChange && name === undefined && (
          <Actions>
            <Button size="small" kind="quiet" onClick={() => setName(search.name)}>
              Rename
            </Button>
            <Button
              size="small"
              kind="quiet"
              onClick={() => change.mutate({ filters: viewEntries(view) })}
            >
              Replace with current view
            </Button>
            <Button
              size="small"
              kind="quiet"
              busy={remove.isPending}
              aria-label={`Delete ${search.name}`}
              onClick={() => remove.mutate()}
            >
              Delete
            </Button>
          </Actions>
        )}
      </div>
    </li>
  )
}
