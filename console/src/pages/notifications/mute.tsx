/** Mutes a route or an alert rule for a time, or ends its mute. */
import { useState } from 'preact/hooks'
import { useChange } from '../../api/read.ts'
import { Button, FormDialog, SelectField } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'

const TIMES = [
  { value: '60', label: '1 hour' },
  { value: '480', label: '8 hours' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '1 week' },
]

export const isMuted = (until: string | null): until is string =>
  until !== null && Date.parse(until) > Date.now()

type Muted = {
  /** The path of the operation that mutes it. */
  path: string
  invalidates: readonly string[]
  what: 'route' | 'alert rule'
  name: string
}

export function MuteButton({ isMuted: isNow, ...muted }: Muted & { isMuted: boolean }) {
  const { id: org_id } = useOrg()
  const { path, invalidates, what, name } = muted
  const [isOpen, setOpen] = useState(false)
  const end = useChange(() => ({ method: 'POST', path, body: { org_id, minutes: 0 } }), {
    invalidates,
    toast: `The ${what} is no longer muted`,
  })
  if (isNow) {
    return (
      <Button
        size="small"
        busy={end.isPending}
        aria-label={`Unmute ${name}`}
        onClick={() => end.mutate()}
      >
        Unmute
      </Button>
    )
  }
  return (
    <>
      <Button size="small" aria-label={`Mute ${name}`} onClick={() => setOpen(true)}>
        Mute…
      </Button>
      {isOpen && <MuteDialog {...muted} onClose={() => setOpen(false)} />}
    </>
  )
}

type DialogProps = Muted & { onClose: () => void }

function MuteDialog({ path, invalidates, what, name, onClose }: DialogProps) {
  const { id: org_id } = useOrg()
  const [minutes, setMinutes] = useState('60')
  const mute = useChange(
    () => ({ method: 'POST', path, body: { org_id, minutes: Number(minutes) } }),
    {
      invalidates,
      toast: `${what === 'route' ? 'Route' : 'Alert rule'} muted`,
      quiet: true,
      onSuccess: onClose,
    },
  )
  return (
    <FormDialog title={`Mute: ${name}`} action={`Mute ${what}`} change={mute} onClose={onClose}>
      <p>Nothing is sent until the mute ends. What lasts then is sent then.</p>
      <SelectField label="For" value={minutes} options={TIMES} onChange={setMinutes} />
    </FormDialog>
  )
}
