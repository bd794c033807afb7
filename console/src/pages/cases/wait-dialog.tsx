/** Until when a case waits for an answer. */
import { useState } from 'preact/hooks'
import type { Change } from '../../api/read.ts'
import { FormDialog, TextField } from '../../components/index.ts'
import { DAY_MS } from '../../time-units.ts'

type Props = {
  change: Change<Record<string, unknown>, unknown>
  onClose: () => void
}

export function WaitDialog({ change, onClose }: Props) {
  const [until, setUntil] = useState(() => localText(new Date(Date.now() + DAY_MS)))
  const submit = () =>
    void change
      .mutateAsync({ waits_until: new Date(until).toISOString() })
      .then(onClose, () => undefined)
  return (
    <FormDialog
      title="Wait for an answer"
      action="Wait"
      change={{ isPending: change.isPending, error: change.error, mutate: submit }}
      disabled={until === ''}
      onClose={onClose}
    >
      <TextField
        label="Until"
        name="waits_until"
        type="datetime-local"
        value={until}
        onChange={setUntil}
        hint="In the time zone of this browser. The time limit of the case runs on."
        required
      />
    </FormDialog>
  )
}

/** The form of the input, which has no time zone. */
function localText(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length)
}
