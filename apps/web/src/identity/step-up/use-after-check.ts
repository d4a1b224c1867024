import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useKeptInput } from './kept-input.ts'
import { checkQuery, isComplete, useAskCheck } from './two-factor.api.ts'

/**
 * Runs the action: at once where a check is valid, else when the user is back from it, and not when they came
 * back without it.
 */
export function useAfterCheck<Wish>(part: string, run: (wish: Wish) => void) {
  const client = useQueryClient()
  const askCheck = useAskCheck()
  const [wish, setWish] = useKeptInput<Wish | undefined>(part, () => undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    // As the check page has just left it.
    const state = client.getQueryData(checkQuery.queryKey)
    if (wish !== undefined && state && isComplete(state)) run(wish)
  }, [])
  const { mutate, isPending, error } = useMutation({
    // The user waits for it: an error is shown, not retried for ever.
    mutationFn: (_: Wish) => client.fetchQuery({ ...checkQuery, retry: false }),
    onMutate: (pressed) => setWish(pressed),
    onSuccess: (state, pressed) => (isComplete(state) ? run(pressed) : askCheck()),
  })
  return {
    begin: (pressed: Wish) => isPending || mutate(pressed),
    busy: isPending,
    error: error?.message,
    pressed: wish,
  }
}
