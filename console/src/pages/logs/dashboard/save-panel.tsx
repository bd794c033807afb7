/** Saves the table or chart of the explorer as a panel of the dashboard. */
import { useState } from 'preact/hooks'
import type { Panel } from '../../../../../src/modules/edge/panels/schema.ts'
import { useChange } from '../../../api/read.ts'
import { FormDialog, TextField } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { PANELS_PATH } from '../queries.ts'
import { type View, viewEntries, viewWords } from '../view.ts'

export function SavePanelDialog({ view, onClose }: { view: View; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const [name, setName] = useState('')
  const save = useChange<void, Panel>(
    () => ({
      method: 'POST',
      path: PANELS_PATH,
      body: { org_id, name: name.trim(), view: viewEntries(view) },
    }),
    { invalidates: [PANELS_PATH], toast: 'Panel saved', quiet: true, onSuccess: onClose },
  )
  return (
    <FormDialog
      title="Save as panel"
      action="Save panel"
      disabled={name.trim() === ''}
      change={save}
      onClose={onClose}
    >
      <p>The panel appears on the dashboard of all members of the organization.</p>
      <TextField
        label="Name of the panel"
        value={name}
        onChange={setName}
        hint={viewWords(view)}
        maxLength={200}
        required
      />
    </FormDialog>
  )
}
