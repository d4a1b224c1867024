/** The sentences of asking for a consent that was left out. */
export const agreeFirstZhCN = {
  title: '用户协议与隐私政策',
  goingOnAgrees: '继续即表示您同意',
  go: '同意并继续',
}
