/** Buttons of a main list: its view, and what is filtered as CSV. */
import { lazy, Suspense } from 'preact/compat'
import { useState } from 'preact/hooks'
import type { Rows } from '../../api/lists.ts'
import { Button } from '../button.tsx'
import { countText } from '../format.ts'
import { useToasts } from '../toasts.tsx'
import { saveCsv } from './csv.ts'

const ViewDialog = lazy(() => import('./view-dialog.tsx'))

type Props = {
  label: string
  what: string
  columns: readonly { label: string; hideLabel?: boolean }[]
  list: Pick<Rows<object>, 'data' | 'readAll'>
}

export function TableTools({ label, what, columns, list }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const toasts = useToasts()
  const save = async () => {
    const { rows, isWhole } = (await list.readAll?.()) ?? { rows: list.data ?? [], isWhole: true }
    saveCsv(rows, what)
    toasts.show(
      `${countText(rows.length, what)} saved${isWhole ? '' : '; there are more, use narrower filters'}`,
    )
  }
  return (
    <span class="actions table-tools">
      <Button
        busy={isSaving}
        disabled={(list.data?.length ?? 0) === 0}
        onClick={() => {
          setSaving(true)
          save()
            .catch((error: unknown) =>
              toasts.warn(error instanceof Error ? error.message : 'Failed'),
            )
            .finally(() => setSaving(false))
        }}
      >
        CSV
      </Button>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        View
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <ViewDialog
            label={label}
            columns={columns.filter(({ hideLabel }) => hideLabel !== true)}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </span>
  )
}
