import { useState } from 'preact/hooks'
import type { ApiError } from '../api/client.ts'

/** State of a form that is submitted without a session. */
export function useSubmit(run: () => Promise<void>) {
  const [error, setError] = useState<ApiError>()
  const [isBusy, setBusy] = useState(false)
  const submit = () => {
    setBusy(true)
    setError(undefined)
    run()
      .catch((failure: ApiError) => setError(failure))
      .finally(() => setBusy(false))
  }
  return { submit, error, isBusy }
}
