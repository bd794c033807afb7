/** Reason codes and the time limit of cases, which owners and admins edit. */
import { useState } from 'preact/hooks'
import type { CaseSettings } from '../../../../src/modules/reviews/cases/schema.ts'
import { useChange, useRead } from '../../api/read.ts'
import { FormDialog, Loaded, TextArea, TextField } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { codesOf, linesOf } from './reason-lines.ts'
import { CASES } from './use-cases.ts'

const SETTINGS = `${CASES}/settings`

export function CaseSettingsDialog({ onClose }: { onClose: () => void }) {
  const { id: org_id } = useOrg()
  const read = useRead<CaseSettings>(SETTINGS, { org_id })
  return (
    <Loaded read={read} what="the settings of cases">
      {(settings) => <Editor settings={settings} onClose={onClose} />}
    </Loaded>
  )
}

function Editor({ settings, onClose }: { settings: CaseSettings; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const [hours, setHours] = useState(String(settings.sla_hours))
  const [codes, setCodes] = useState(linesOf(settings.reason_codes))
  const change = useChange(
    () => ({
      method: 'PUT',
      path: SETTINGS,
      body: { org_id, sla_hours: Number(hours), reason_codes: codesOf(codes) },
    }),
    { invalidates: [CASES], toast: 'The settings are stored', quiet: true, onSuccess: onClose },
  )
  return (
    <FormDialog title="Settings of cases" action="Store" change={change} onClose={onClose}>
      <TextField
        label="Time limit in hours"
        name="sla_hours"
        type="number"
        value={hours}
        onChange={setHours}
        required
      />
      <TextArea
        label="Reason codes"
        name="reason_codes"
        rows={10}
        value={codes}
        onChange={setCodes}
        hint="One in each line: the code, a colon, and the text that members see. Decisions keep the code that they have."
      />
    </FormDialog>
  )
}
