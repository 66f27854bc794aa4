"""What Python's mailbox takes to search all text of an mbox for one pattern.

    bench_mailbox.py MBOX
"""

import mailbox
import re
import sys

pattern = re.compile(rb"IOPS=\s*([\d.]+[kM]?)")
count = 0
for message in mailbox.mbox(sys.argv[1], create=False):
    for part in message.walk():
        if part.get_content_maintype() == "text":
            count += len(pattern.findall(part.get_payload(decode=True) or b""))
print(count)
