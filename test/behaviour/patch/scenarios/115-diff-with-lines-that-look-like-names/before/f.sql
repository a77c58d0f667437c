-- old
x
y
z
1
2
3
end
