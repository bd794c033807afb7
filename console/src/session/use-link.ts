/** Describes a link that was sent to a person. Its token is in the fragment, which browsers never send. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ApiError, fetchContent } from '../api/client.ts'

export type Link<Preview> = UseQueryResult<Preview, ApiError> & {
  /** The link is incomplete, has expired, or was used. */
  is_over: boolean
}

/** @param path of the operations about such links; `show` describes one */
export function useLink<Preview>(path: string, token: string): Link<Preview> {
  const shown = useQuery<Preview, ApiError>({
    queryKey: ['link', path, token],
    queryFn: () =>
      fetchContent({ method: 'POST', path: `${path}/show`, body: { token } }, undefined),
    enabled: token !== '',
    retry: false,
    // Using the link ends it; the page continues with what it has loaded.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const status = shown.error?.status
  return { ...shown, is_over: token === '' || status === 404 || status === 400 }
}
