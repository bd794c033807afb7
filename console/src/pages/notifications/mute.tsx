import { useState } from 'preact/hooks'
import type { ShownRoute } from '../../../../src/modules/notifications/schema.ts'
import { Button, FormDialog, SelectField } from '../../components/index.ts'
import { useNotificationChange } from './api.ts'

const TIMES = [
  { value: '60', label: '1 hour' },
  { value: '480', label: '8 hours' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '1 week' },
]

type Props = { route: ShownRoute; name: string; isMuted: boolean }

/** Mutes a route for a time, or ends its mute. */
export function MuteButton({ route, name, isMuted }: Props) {
  const [isOpen, setOpen] = useState(false)
  const end = useNotificationChange(
    () => ({ method: 'POST', path: `/routes/${route.id}/mute`, body: { minutes: 0 } }),
    { toast: 'The route is no longer muted' },
  )
  if (isMuted) {
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
      {isOpen && <MuteDialog id={route.id} name={name} onClose={() => setOpen(false)} />}
    </>
  )
}

function MuteDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const [minutes, setMinutes] = useState('60')
  const mute = useNotificationChange(
    () => ({
      method: 'POST',
      path: `/routes/${id}/mute`,
      body: { minutes: Number(minutes) },
    }),
    { toast: 'Route muted', quiet: true, onSuccess: onClose },
  )
  return (
    <FormDialog title={`Mute: ${name}`} action="Mute route" change={mute} onClose={onClose}>
      <p>Nothing is sent until the mute ends. What lasts then is sent then.</p>
      <SelectField label="For" value={minutes} options={TIMES} onChange={setMinutes} />
    </FormDialog>
  )
}
