// Numbers separated by blanks, as the attributes of XML have them.
#ifndef LIMB_IO_NUMBERS_H
#define LIMB_IO_NUMBERS_H

typedef struct number_list {
  int count;       // of words
  const char* bad; // the first that is no finite number; NULL: all are numbers
  int bad_length;
} number_list;

// Takes a text apart. The first most numbers, unless one of them is bad, are put into x.
number_list limb_scan_list(const char* text, int most, double* x);

#endif
