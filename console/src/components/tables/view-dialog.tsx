/** Columns and density of a table, and saved views of its list. */
import { useState } from 'preact/hooks'
import { PageLink } from '../../shell/links.tsx'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { CheckField, SelectField, TextField } from '../fields.tsx'
import { Actions, Form } from '../form.tsx'
import { Icon } from '../icon.tsx'
import { type Density, inOrder, moved, useLayout } from './layout.ts'
import { useSavedViews } from './saved-views.ts'

type Props = { label: string; columns: readonly { label: string }[]; onClose: () => void }

const DENSITIES: readonly { value: Density; label: string }[] = [
  { value: 'compact', label: 'Compact' },
  { value: 'comfortable', label: 'Comfortable' },
]

export default function ViewDialog({ label, columns, onClose }: Props) {
  const [layout, change] = useLayout(label)
  const labels = inOrder(columns, layout).map((column) => column.label)
  const hide = (name: string, isShown: boolean) =>
    change({
      hidden: isShown ? layout.hidden.filter((each) => each !== name) : [...layout.hidden, name],
    })
  return (
    <Dialog title={`View of ${label.toLowerCase()}`} onClose={onClose}>
      <div class="stack">
        <h3>Columns</h3>
        <ul class="view-columns" aria-label="Columns">
          {labels.map((name, index) => (
            <li key={name}>
              <CheckField
                label={name}
                checked={!layout.hidden.includes(name)}
                onChange={(isShown) => hide(name, isShown)}
              />
              <span class="actions">
                <Button
                  size="small"
                  kind="quiet"
                  aria-label={`Move ${name} up`}
                  disabled={index === 0}
                  onClick={() => change({ order: moved(labels, name, -1) })}
                >
                  <Icon sign="up" />
                </Button>
                <Button
                  size="small"
                  kind="quiet"
                  aria-label={`Move ${name} down`}
                  disabled={index === labels.length - 1}
                  onClick={() => change({ order: moved(labels, name, 1) })}
                >
                  <Icon sign="down" />
                </Button>
              </span>
            </li>
          ))}
        </ul>
        <SelectField
          label="Rows"
          value={layout.density}
          options={DENSITIES}
          onChange={(density) => change({ density })}
          hint="For all tables. Columns and rows are stored in this browser."
        />
        <SavedViews />
        <Actions>
          <Button onClick={() => change({ order: [], hidden: [], density: 'compact' })}>
            Reset columns and rows
          </Button>
        </Actions>
      </div>
    </Dialog>
  )
}

function SavedViews() {
  const { path, views, save, remove } = useSavedViews()
  const [name, setName] = useState('')
  return (
    <>
      <h3>Saved views</h3>
      {views.length > 0 && (
        <ul class="view-columns" aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name}>
              <PageLink to={path} query={view.query}>
                {view.name}
              </PageLink>
              <Button
                size="small"
                kind="quiet"
                aria-label={`Delete the view ${view.name}`}
                onClick={() => remove(view.name)}
              >
                Delete
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Form
        error={null}
        onSubmit={() => {
          if (name.trim() !== '') save(name.trim())
          setName('')
        }}
      >
        <TextField
          label="Save the current filters as"
          value={name}
          maxLength={80}
          onChange={setName}
          hint="The address of the page is a link to the same view for others."
        />
        <Actions>
          <Button type="submit" disabled={name.trim() === ''}>
            Save view
          </Button>
        </Actions>
      </Form>
    </>
  )
}
