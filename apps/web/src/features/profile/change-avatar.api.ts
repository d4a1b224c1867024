import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../lib/call/call.ts'
import { type Upload, uploading } from '../../lib/call/upload.ts'
import { adopt } from '../../session/profile.api.ts'

export function useChangeAvatar() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ file, ...upload }: Upload & { file: Blob }) =>
      call('/api/user/info/changeAvatar', { file }, { send: uploading(upload) }),
    onSuccess: ({ avatarTime }) => adopt(client, () => ({ avatar: true, avatarTime })),
  })
}
